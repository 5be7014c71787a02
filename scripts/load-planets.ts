require('./run.cjs')('load-planets')
