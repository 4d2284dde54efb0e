const MARKS = { passed: 'ok', failed: 'FAILED', skipped: 'skipped' };

/**
 * Renders a text table with a row per scenario and a column per engine. A test belongs to the engine with which its
 * outermost title starts.
 * @param tests `{ path, state }`; `path` lists the titles, outermost first
 */
export function engineTable(tests) {
  const engines = [];
  const rows = new Map();
  const skipped = [];
  for (const { path, state } of tests) {
    const [, engine = '', subject = ''] = /^(\w+)[,:]?\s*(.*)$/.exec(path[0] ?? '') ?? [];
    if (!engines.includes(engine)) engines.push(engine);
    const scenario = [subject, ...path.slice(1)].filter((title) => title !== '').join(' › ');
    if (state === 'skipped') {
      skipped.push(`${engine}: ${scenario}`);
      continue;
    }
    rows.set(scenario, { ...rows.get(scenario), [engine]: MARKS[state] });
  }
  const table = [
    ['', ...engines],
    ...[...rows].map(([scenario, by]) => [scenario, ...engines.map((e) => by[e] ?? '-')]),
  ];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  const lines = table.map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  '));
  const totals = engines.map((engine) => `${engine} ${[...rows.values()].filter((by) => by[engine] === 'ok').length}`);
  return [...lines, '', `Passed: ${totals.join(', ')}`, ...skipped.map((title) => `Skipped: ${title}`)].join('\n');
}
