import type { Config } from '@react-router/dev/config'
import { NOT_FOUND_PAGE, PUBLIC_PAGES } from './contract/site.ts'
import { precompress } from './scripts/web/precompress.ts'
import { slimManifest } from './scripts/web/slim-manifest.ts'
import { inlineStyles } from './scripts/web/still-pages.ts'

export default {
  appDirectory: 'web/app',
  buildDirectory: 'build',
  ssr: false,
  prerender: [...PUBLIC_PAGES, NOT_FOUND_PAGE],
  async buildEnd() {
    inlineStyles('build/client')
    slimManifest('build/client')
    await precompress('build/client')
  },
} satisfies Config
