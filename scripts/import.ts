require('./run.cjs')('import')
