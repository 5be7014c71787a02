require('./run.cjs')('export')
