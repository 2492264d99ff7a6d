import type { Config } from '@react-router/dev/config'
import { NOT_FOUND_PAGE, PUBLIC_PAGES } from './contract/site.ts'

export default {
  appDirectory: 'web/app',
  buildDirectory: 'build',
  ssr: false,
  prerender: [...PUBLIC_PAGES, NOT_FOUND_PAGE],
} satisfies Config
