#!/usr/bin/env node
/** `npm ci` runs this (`prepare`): git takes its hooks from .githooks. Nothing happens outside a git checkout or in CI. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

try {
  if (!process.env.CI && existsSync(`${root}.git`) && !hooksPath()) git('config', 'core.hooksPath', '.githooks');
} catch {
  // No git, or a checkout that belongs to somebody else: hooks are a convenience, never a reason to fail an install.
}

/** Somebody's own choice stays. */
function hooksPath() {
  try {
    return git('config', 'core.hooksPath');
  } catch {
    return '';
  }
}
