require('./run.cjs')('build-browser')
