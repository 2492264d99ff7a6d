export type { SearchPage } from './find-pages.ts'
export { Search } from './search.tsx'
