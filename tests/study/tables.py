def tables(): return ""
