export { Strategies } from './strategies.tsx'
