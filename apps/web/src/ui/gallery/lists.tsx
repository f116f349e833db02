import { useState } from 'react';
import { Button } from '../button.tsx';
import { CodeBlock } from '../text/code-block.tsx';
import { Pagination } from '../pagination.tsx';
import { Stat } from '../picture/stat.tsx';
import { Table } from '../table.tsx';
import { Tabs } from '../tabs.tsx';
import { Part } from './part.tsx';

const tokens = [
  { id: '1', name: 'My laptop', created: 'Nov 21, 2026', calls: 1204 },
  { id: '2', name: 'A script that runs every night on the server', created: 'Nov 3, 2026', calls: 8 },
];

export function Lists() {
  const [page, setPage] = useState(1);
  const [tab, setTab] = useState<'claude' | 'code' | 'cursor'>('claude');
  const code = 'claude mcp add -s user --transport http souk http://localhost:3000/mcp';
  return (
    <Part title="Tables, tabs, code, figures">
      <dl className="mb-5 grid grid-cols-2 gap-4 sm:grid-cols-4">
        <Stat label="Servers" value="12" />
        <Stat label="Calls" value="12,345" hint="Last 30 days" />
        <Stat label="Credits" value="500" />
        <Stat label="Spent" value="$9" />
      </dl>
      <Table
        caption="Access tokens"
        rows={tokens}
        rowKey={(row) => row.id}
        columns={[
          { id: 'name', header: 'Name', rowHeader: true, cell: (row) => row.name },
          { id: 'created', header: 'Created', wideOnly: true, cell: (row) => row.created },
          { id: 'calls', header: 'Calls', numeric: true, cell: (row) => row.calls.toLocaleString('en-US') },
          {
            id: 'do',
            header: 'Actions',
            hideHeader: true,
            numeric: true,
            cell: () => <Button size="small">Revoke</Button>,
          },
        ]}
      />
      <div className="mt-4 mb-6">
        <Pagination label="Access tokens" page={page} pageCount={4} onChange={setPage} />
      </div>
      <Tabs
        label="Client"
        value={tab}
        onChange={setTab}
        items={[
          { value: 'claude', label: 'Claude', content: <CodeBlock label="Terminal" code={code} /> },
          { value: 'code', label: 'VS Code', content: 'VS Code' },
          { value: 'cursor', label: 'Cursor', content: 'Cursor' },
        ]}
      />
    </Part>
  );
}
