export { diskStorage } from './disk.ts'
export { reencodePicture, sizeOfPicture } from './picture.ts'
export { openBucket, s3Storage } from './s3.ts'
export {
  existingFilesKey,
  type FileStorage,
  type Files,
  filesKey,
  isFileName,
  keyFromText,
  openFiles,
} from './store.ts'
