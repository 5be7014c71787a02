require('./run.cjs')('deploy')
