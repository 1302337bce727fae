"""Executes the sessions of Python (``pycon``) in a document, which share their names, and compares
what they print with what is shown. An ellipsis stands for anything."""

import doctest
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
blocks = re.findall(r"^```pycon\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, sys.argv[1], sys.argv[1], 0)
runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
runner.run(test)
if runner.failures or not runner.tries:
    sys.exit("%d of %d examples differ" % (runner.failures, runner.tries))
print("%d sessions as shown" % len(blocks))
