# Runs code.py in each folder that is named.
import contextlib
import io
import os
import runpy
import sys
import traceback

start = os.getcwd()
for folder in sys.argv[1:]:
    os.chdir(os.path.join(start, folder))
    out, failed = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(out):
            runpy.run_path("code.py", run_name="__main__")
    except BaseException:
        failed = traceback.format_exc()
    for name, text in (("stdout", out.getvalue()), ("failed", failed)):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
