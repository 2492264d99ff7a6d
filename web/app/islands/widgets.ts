export { runWidgets } from '#web/site/index.ts'
