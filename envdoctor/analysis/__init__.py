"""From traces to what happened: growth, instances, timeline, cost of workers, replay buffers.
Pure.
"""
