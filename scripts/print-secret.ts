require('./run.cjs')('print-secret')
