require('./run.cjs')('check-start')
