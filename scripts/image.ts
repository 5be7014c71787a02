require('./run.cjs')('image')
