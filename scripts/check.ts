require('./run.cjs')('check')
