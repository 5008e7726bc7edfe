"""with-small-files.py COMMAND...: runs it in a world where files end at 4 KiB; writing on is an error, not a signal."""
import os
import resource
import signal
import sys

resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
# Blocked, as LLVM's tools handle the signal if it comes.
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGXFSZ})
os.execvp(sys.argv[1], sys.argv[1:])
