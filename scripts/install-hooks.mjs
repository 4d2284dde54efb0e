#!/usr/bin/env node
/**
 * `npm ci` runs this (`prepare`): makes git use the hooks in .githooks. Does nothing outside a git checkout or in CI.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

try {
  if (!process.env.CI && existsSync(`${root}.git`) && !hooksPath()) git('config', 'core.hooksPath', '.githooks');
} catch {
  // git is missing, or another user owns the checkout. Hooks are optional, so this must not fail an installation.
}

/** The configured hooks folder, which is not overwritten; empty if there is none. */
function hooksPath() {
  try {
    return git('config', 'core.hooksPath');
  } catch {
    return '';
  }
}
