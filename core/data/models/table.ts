import {
  DataTypes,
  type CreationAttributes,
  type Model,
  type ModelAttributes,
  type ModelStatic,
  type Order,
  type WhereOptions,
} from 'sequelize';

import type { Database, Queryable } from '../database.js';
import { asDatabaseError } from '../errors.js';

/** Column types, named as in the migrations. */
export const column = {
  id: { type: DataTypes.UUID, primaryKey: true },
  uuid: { type: DataTypes.UUID, allowNull: false },
  maybeUuid: { type: DataTypes.UUID },
  maybeUuids: { type: DataTypes.ARRAY(DataTypes.UUID) },
  text: { type: DataTypes.TEXT, allowNull: false },
  maybeText: { type: DataTypes.TEXT },
  texts: { type: DataTypes.ARRAY(DataTypes.TEXT), allowNull: false },
  maybeTexts: { type: DataTypes.ARRAY(DataTypes.TEXT) },
  integer: { type: DataTypes.INTEGER, allowNull: false },
  maybeInteger: { type: DataTypes.INTEGER },
  boolean: { type: DataTypes.BOOLEAN, allowNull: false },
  json: { type: DataTypes.JSONB, allowNull: false },
  maybeJson: { type: DataTypes.JSONB },
  time: { type: DataTypes.DATE(3), allowNull: false },
  maybeTime: { type: DataTypes.DATE(3) },
} as const;

/** Sequelize writes each column's name into its description, so every column needs its own copy. */
function ownCopies<Row extends object>(columns: Columns<Row>): Columns<Row> {
  const copies = Object.entries(columns).map(([name, description]) => [name, { ...(description as object) }]);
  return Object.fromEntries(copies) as Columns<Row>;
}

/** Exactly one column for each member of the row. */
export type Columns<Row extends object> = ModelAttributes<Model<Row, Row>, Row>;

/**
 * A table as a Sequelize model that takes and returns plain rows, for occasional access; hot paths
 * have their own SQL. Every method throws what {@link Queryable} throws.
 */
export class Table<Row extends object> {
  readonly #model: ModelStatic<Model<Row, Row>>;

  constructor(
    private readonly db: Database,
    readonly name: string,
    columns: Columns<Row>,
  ) {
    const { sequelize } = db;
    this.#model = sequelize.isDefined(name)
      ? sequelize.model(name)
      : sequelize.define<Model<Row, Row>>(name, ownCopies(columns), { tableName: name, timestamps: false });
  }

  async insert(row: Row, on: Queryable = this.db): Promise<void> {
    await translateErrors(this.#model.bulkCreate([row as unknown as CreationAttributes<Model<Row, Row>>], on.scope));
  }

  async find(where: WhereOptions<Row>, order: Order, on: Queryable = this.db): Promise<Row[]> {
    const rows = await translateErrors(this.#model.findAll({ where, order, raw: true, ...on.scope }));
    return rows as unknown as Row[];
  }

  async findOne(where: WhereOptions<Row>, on: Queryable = this.db): Promise<Row | null> {
    const row = await translateErrors(this.#model.findOne({ where, raw: true, ...on.scope }));
    return row as unknown as Row | null;
  }

  /** @returns the number of updated rows. */
  async update(where: WhereOptions<Row>, changes: Partial<Row>, on: Queryable = this.db): Promise<number> {
    const [count] = await translateErrors(this.#model.update(changes, { where, ...on.scope }));
    return count;
  }

  /** @returns the number of deleted rows. */
  remove(where: WhereOptions<Row>, on: Queryable = this.db): Promise<number> {
    return translateErrors(this.#model.destroy({ where, ...on.scope }));
  }
}

async function translateErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asDatabaseError(error);
  }
}
