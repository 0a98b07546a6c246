"""summary_rate.py COUNT: so many scalars through the writer that PyTorch and Keras use too."""

import json
import sys
import tempfile
import time

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

count = int(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    start = time.perf_counter()
    writer = EventFileWriter(folder)
    for step in range(count):
        writer.add_event(Event(step=step, wall_time=time.time(), summary=Summary(value=[Summary.Value(tag="loss", simple_value=0.5)])))
    writer.close()
    seconds = time.perf_counter() - start
print(json.dumps({"scalars_per_second": count / seconds}))
