"""What an allocator of another device would report, without the device: the call that it makes. A
device is passed as one byte for its type and one for its index."""
import ctypes
import os

import torch

symbol = "_ZN3c1027reportMemoryUsageToProfilerEPv{}NS_6DeviceE".format(
    "lll" if torch.__version__.startswith("1.") else "lmm")
report = ctypes.CDLL(None)[symbol]
report.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint16]
CUDA = 1
report(4096, 512, 512, 2048, CUDA | 3 << 8)
report(4096, -512, 0, 2048, CUDA | 3 << 8)
os._exit(0)
