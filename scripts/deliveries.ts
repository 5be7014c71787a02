require('./run.cjs')('deliveries')
