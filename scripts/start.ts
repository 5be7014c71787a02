require('./run.cjs')('start')
