require('./run.cjs')('check-layers')
