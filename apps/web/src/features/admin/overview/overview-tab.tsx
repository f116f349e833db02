import type { AdminPartProps } from '../admin-screen.tsx';
import { FiguresPart } from './figures-part.tsx';
import { NeedsPart } from './needs-part.tsx';

export function OverviewTab({ userId }: Pick<AdminPartProps, 'userId'>) {
  return (
    <div className="flex flex-col gap-10">
      <NeedsPart userId={userId} />
      <FiguresPart userId={userId} />
    </div>
  );
}
