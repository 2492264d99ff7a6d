export { Automatic } from './automatic.tsx'
