export { Earnings } from './earnings.tsx'
