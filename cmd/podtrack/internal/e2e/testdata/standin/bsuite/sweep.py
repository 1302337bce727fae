SETTINGS = {"catch/%d" % i: {"seed": None} for i in range(20)}
