require('./run.cjs')('prepare-database')
