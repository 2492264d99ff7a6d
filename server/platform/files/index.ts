export { redrawPicture } from './picture.ts'
export { type Files, filesKey, openFiles } from './store.ts'
