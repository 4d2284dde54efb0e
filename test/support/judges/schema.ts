import type { Database } from '../../../core/data/database.js';

const SCHEMA = `
  SELECT 'column' AS kind, table_name || '.' || column_name AS name,
         concat_ws(' ', data_type, udt_name, datetime_precision, is_nullable, column_default) AS definition
  FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL
  SELECT 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
  FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL
  SELECT 'trigger', tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL
  SELECT 'function', proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'options', relname, reloptions::text FROM pg_class
  WHERE relnamespace = 'public'::regnamespace AND reloptions IS NOT NULL
  ORDER BY 1, 2, 3`;

interface Part {
  readonly kind: string;
  readonly name: string;
  readonly definition: string;
}

/** Everything that migrations create, in a fixed order. */
export function schemaOf(db: Database): Promise<Part[]> {
  return db.query<Part>(SCHEMA);
}
