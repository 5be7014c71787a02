require('./run.cjs')('check-bundle')
