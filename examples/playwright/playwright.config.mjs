import { defineConfig } from '@playwright/test'

export default defineConfig({ globalSetup: 'galaxy/playwright/setup' })
