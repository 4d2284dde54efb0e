import type { ArchiveFormat } from '../../core/ports/archive.js';
import { ArchiveWriter } from './writer.js';

/** `.tar.gz` files that every system can open; their last member has the checksums of all others. */
export const tarGz: ArchiveFormat = {
  extension: '.tar.gz',
  contentType: 'application/gzip',
  create: (path) => new ArchiveWriter(path),
};
