// Makes sure that a stop ends wrangler too.
import './stop.ts'
import { loadPlanets } from './prepare.ts'

await loadPlanets(process.argv.slice(2))
console.log('The shipped planets are in the database.')
