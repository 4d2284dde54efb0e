import { openObjectStores } from '../../adapters/storage/index.js';
import type { Settings } from '../../config/settings.js';
import type { ObjectStores } from '../../core/ports/object-store.js';
import { recordingsFolder } from '../install/places.js';

/** Opens the storages of recordings that the settings describe. */
export function openStorages(settings: Settings): ObjectStores {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const described = bucket !== undefined && accessKeyId !== undefined && secretAccessKey !== undefined;
  return openObjectStores({
    use: settings.RECORDING_STORAGE,
    folder: recordingsFolder(settings),
    ...(described && {
      s3: {
        region: settings.S3_REGION,
        bucket,
        accessKeyId,
        secretAccessKey,
        forcePathStyle: settings.S3_FORCE_PATH_STYLE,
        ...(settings.S3_ENDPOINT !== undefined && { endpoint: settings.S3_ENDPOINT }),
        ...(settings.S3_PREFIX !== undefined && { prefix: settings.S3_PREFIX }),
        ...(settings.S3_ENCRYPTION !== undefined && { encryption: settings.S3_ENCRYPTION }),
      },
    }),
  });
}
