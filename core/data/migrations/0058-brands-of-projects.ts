import { sqlMigration } from './migration.js';

/** Brands belong to projects: names are unique in one. A deleted brand stays, because verifications name it. */
export const brandsOfProjects = sqlMigration(
  '0058-brands-of-projects',
  `
  ALTER TABLE voice_auth_brands ADD COLUMN deleted_at timestamptz(3);
  DROP INDEX voice_auth_brands_name_en, voice_auth_brands_name_ar;
  CREATE UNIQUE INDEX voice_auth_brands_name_en ON voice_auth_brands (project_id, sandbox, lower(name_en))
    WHERE status <> 'rejected' AND deleted_at IS NULL;
  CREATE UNIQUE INDEX voice_auth_brands_name_ar ON voice_auth_brands (project_id, sandbox, name_ar)
    WHERE status <> 'rejected' AND deleted_at IS NULL;
  `,
  `
  -- Of brands with one name, only the oldest keeps its status.
  UPDATE voice_auth_brands AS brand SET status = 'rejected'
  WHERE brand.deleted_at IS NOT NULL OR EXISTS (
    SELECT 1 FROM voice_auth_brands AS older
    WHERE older.organization_id = brand.organization_id AND older.sandbox = brand.sandbox AND older.id < brand.id
      AND older.status <> 'rejected' AND older.deleted_at IS NULL
      AND (lower(older.name_en) = lower(brand.name_en) OR older.name_ar = brand.name_ar)
  );
  DROP INDEX voice_auth_brands_name_en, voice_auth_brands_name_ar;
  CREATE UNIQUE INDEX voice_auth_brands_name_en ON voice_auth_brands (organization_id, sandbox, lower(name_en))
    WHERE status <> 'rejected';
  CREATE UNIQUE INDEX voice_auth_brands_name_ar ON voice_auth_brands (organization_id, sandbox, name_ar)
    WHERE status <> 'rejected';
  ALTER TABLE voice_auth_brands DROP COLUMN deleted_at;
  `,
);
