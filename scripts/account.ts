require('./run.cjs')('account')
