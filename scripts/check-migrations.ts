require('./run.cjs')('check-migrations')
