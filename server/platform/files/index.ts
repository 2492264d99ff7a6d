export { bucketShelf } from './bucket.ts'
export { folderShelf } from './folder.ts'
export { redrawPicture, sizeOfPicture } from './picture.ts'
export { type Files, filesKey, openFiles, type Shelf } from './store.ts'
