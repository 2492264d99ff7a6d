export { Solvency } from './solvency.tsx'
