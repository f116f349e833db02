/** Props of every dialog that changes one server. */
export type ServerDialogProps = {
  userId: string;
  /** The server's id. */
  id: string;
  open: boolean;
  onClose: () => void;
};
