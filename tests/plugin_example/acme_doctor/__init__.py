"""What another package can add to envdoctor. The manager and the sensor run in the target
interpreter, the rule and the format in the doctor.
"""
