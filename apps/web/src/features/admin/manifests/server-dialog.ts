/** Props of the dialogs that change one server. */
export type ServerDialogProps = {
  userId: string;
  /** The server's id. */
  id: string;
  open: boolean;
  onClose: () => void;
};
