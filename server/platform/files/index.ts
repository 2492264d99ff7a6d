export { diskStorage } from './disk.ts'
export { reencodePicture, sizeOfPicture } from './picture.ts'
export { s3Storage } from './s3.ts'
export { type FileStorage, type Files, filesKey, openFiles } from './store.ts'
