export { runPayouts } from '#web/site/index.ts'
