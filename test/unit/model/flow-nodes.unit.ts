import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { NODES } from '../../../core/model/flow/nodes/index.js';
import type { NodeDescriptor } from '../../../core/model/flow/parts/descriptor.js';

/** The page that describes the node types, wherever it is below `docs`. */
function reference(): string {
  const pages = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('flows.md'));
  return pages.map((name) => readFileSync(join('docs', name), 'utf8')).find((text) => text.includes('## Nodes')) ?? '';
}

describe('The registry of flow node types', () => {
  const types = NODES.map(({ schema }) => schema.shape.type.value);

  it('contains each type once', () => {
    expect(types).to.have.length(new Set(types).size);
  });

  it('contains only types that have a row in the table of the documentation', () => {
    const page = reference();
    for (const type of types) expect(page).to.include(`\n| \`${type}\` |`);
  });

  it('contains only result variables that the documentation lists', () => {
    const page = reference();
    for (const { resultVariables = [] } of NODES as readonly NodeDescriptor[]) {
      for (const name of resultVariables) expect(page).to.include(`\`${name}\``);
    }
  });
});
