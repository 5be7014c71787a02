require('./run.cjs')('universes')
