#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""serve_llama.py MODEL.gguf PORT: llama.cpp's server on the loopback, for embeddings, until it is
ended. The PyPI package xllamacpp is that server with its HTTP side, compiled."""

import sys
import time

import xllamacpp

p = xllamacpp.CommonParams()
p.model.path = sys.argv[1]
p.port = int(sys.argv[2])
p.embedding = True
p.n_parallel = 2
# Threads of one request wait for each other without sleeping; on a busy machine one is faster.
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(p)
print(server.listening_address, flush=True)
while True:
    time.sleep(3600)
