require('./run.cjs')('licences')
