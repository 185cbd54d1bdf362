(* Expressions in sines and cosines of coordinates, their derivatives, and a decision of e = 0 by normal forms.

   [ev] is what an expression means over the reals. [D_ok] and [partial_ok] say that [D] is the derivative of calculus,
   [is_zero_ok] that what computes to zero is zero, [law_ok] that the two together are Lagrange's equation along
   every motion. The polynomials are EnvRing's, of the standard library. *)
Require Import Reals QArith Qreals Qreduction List Bool Lra Lia.
From Coq Require Import EnvRing Ring_theory.
Import ListNotations.
Open Scope R_scope.

Inductive E :=
  | Num (q : Q) | Var (i : positive) | Add (a b : E) | Sub (a b : E) | Mul (a b : E) | Opp (a : E) | Cos (a : E) | Sin (a : E).

Fixpoint ev (v : positive -> R) (e : E) : R :=
  match e with
  | Num q => Q2R q
  | Var i => v i
  | Add a b => ev v a + ev v b
  | Sub a b => ev v a - ev v b
  | Mul a b => ev v a * ev v b
  | Opp a => - ev v a
  | Cos a => cos (ev v a)
  | Sin a => sin (ev v a)
  end.

(* ---- sums and products without zeros and ones *)

Definition is0 e := match e with Num q => Qeq_bool q 0 | _ => false end.
Definition is1 e := match e with Num q => Qeq_bool q 1 | _ => false end.
Definition add a b := if is0 a then b else if is0 b then a else Add a b.
Definition sub a b := if is0 b then a else Sub a b.
Definition mul a b := if is0 a || is0 b then Num 0 else if is1 a then b else if is1 b then a else Mul a b.

Lemma Q2R_0 : Q2R 0 = 0. Proof. unfold Q2R; simpl; lra. Qed.
Lemma Q2R_1 : Q2R 1 = 1. Proof. unfold Q2R; simpl; lra. Qed.

Lemma is0_ok v e : is0 e = true -> ev v e = 0.
Proof. destruct e; try discriminate. intro H. apply Qeq_bool_eq, Qeq_eqR in H. simpl. rewrite H. apply Q2R_0. Qed.
Lemma is1_ok v e : is1 e = true -> ev v e = 1.
Proof. destruct e; try discriminate. intro H. apply Qeq_bool_eq, Qeq_eqR in H. simpl. rewrite H. apply Q2R_1. Qed.
Lemma add_ok v a b : ev v (add a b) = ev v a + ev v b.
Proof.
  unfold add. destruct (is0 a) eqn:A; [apply (is0_ok v) in A; lra|].
  destruct (is0 b) eqn:B; [apply (is0_ok v) in B; lra|reflexivity].
Qed.
Lemma sub_ok v a b : ev v (sub a b) = ev v a - ev v b.
Proof. unfold sub. destruct (is0 b) eqn:B; [apply (is0_ok v) in B; lra|reflexivity]. Qed.
Lemma mul_ok v a b : ev v (mul a b) = ev v a * ev v b.
Proof.
  unfold mul. destruct (is0 a) eqn:A; [apply (is0_ok v) in A; simpl; rewrite A, Q2R_0; lra|].
  destruct (is0 b) eqn:B; [apply (is0_ok v) in B; simpl; rewrite B, Q2R_0; lra|simpl].
  destruct (is1 a) eqn:A1; [apply (is1_ok v) in A1; rewrite A1; lra|].
  destruct (is1 b) eqn:B1; [apply (is1_ok v) in B1; rewrite B1; lra|reflexivity].
Qed.

(* ---- derivatives: s gives those of the variables *)

Fixpoint D (s : positive -> E) (e : E) : E :=
  match e with
  | Num _ => Num 0
  | Var i => s i
  | Add a b => add (D s a) (D s b)
  | Sub a b => sub (D s a) (D s b)
  | Mul a b => add (mul (D s a) b) (mul a (D s b))
  | Opp a => sub (Num 0) (D s a)
  | Cos a => mul (Opp (Sin a)) (D s a)
  | Sin a => mul (Cos a) (D s a)
  end.

Definition d (k i : positive) : E := if Pos.eqb i k then Num 1 else Num 0.

Fixpoint occurs (i : positive) (e : E) : bool :=
  match e with
  | Num _ => false
  | Var j => Pos.eqb i j
  | Add a b | Sub a b | Mul a b => occurs i a || occurs i b
  | Opp a | Cos a | Sin a => occurs i a
  end.

Theorem D_ok (x : R -> positive -> R) s t e :
  (forall i, occurs i e = true -> derivable_pt_lim (fun u => x u i) t (ev (x t) (s i))) ->
  derivable_pt_lim (fun u => ev (x u) e) t (ev (x t) (D s e)).
Proof.
  induction e; intro H; simpl in *.
  - rewrite Q2R_0. apply derivable_pt_lim_const.
  - apply H, Pos.eqb_refl.
  - rewrite add_ok. apply (derivable_pt_lim_plus (fun u => ev (x u) e1) (fun u => ev (x u) e2));
      [apply IHe1|apply IHe2]; intros i O; apply H; rewrite O; auto using orb_true_r.
  - rewrite sub_ok. apply (derivable_pt_lim_minus (fun u => ev (x u) e1) (fun u => ev (x u) e2));
      [apply IHe1|apply IHe2]; intros i O; apply H; rewrite O; auto using orb_true_r.
  - rewrite add_ok, !mul_ok. apply (derivable_pt_lim_mult (fun u => ev (x u) e1) (fun u => ev (x u) e2));
      [apply IHe1|apply IHe2]; intros i O; apply H; rewrite O; auto using orb_true_r.
  - rewrite sub_ok. simpl. rewrite Q2R_0, Rminus_0_l. apply (derivable_pt_lim_opp (fun u => ev (x u) e)). auto.
  - rewrite mul_ok. simpl. apply (derivable_pt_lim_comp (fun u => ev (x u) e) cos); [auto|apply derivable_pt_lim_cos].
  - rewrite mul_ok. simpl. apply (derivable_pt_lim_comp (fun u => ev (x u) e) sin); [auto|apply derivable_pt_lim_sin].
Qed.

Lemma ev_same v w e : (forall i, v i = w i) -> ev v e = ev w e.
Proof. intro H. induction e; simpl; congruence. Qed.

Definition put (v : positive -> R) k u i := if Pos.eqb i k then u else v i.

Theorem partial_ok v k e : derivable_pt_lim (fun u => ev (put v k u) e) (v k) (ev v (D (d k) e)).
Proof.
  assert (S : forall i, put v k (v k) i = v i).
  { intro i. unfold put. destruct (Pos.eqb_spec i k); congruence. }
  rewrite <- (ev_same _ _ _ S). apply D_ok. intros i _. unfold d, put. destruct (Pos.eqb i k); simpl.
  - rewrite Q2R_1. apply derivable_pt_lim_id.
  - rewrite Q2R_0. apply derivable_pt_lim_const.
Qed.

(* ---- normal forms: variable i at 4 i, cosine and sine of the angle number i at 4 i + 1 and 4 i + 2 *)

Definition qadd a b := Qred (a + b). Definition qmul a b := Qred (a * b).
Definition qsub a b := Qred (a - b). Definition qopp a := Qred (- a).

Lemma red_ok q : Q2R (Qred q) = Q2R q. Proof. apply Qeq_eqR, Qred_correct. Qed.
Lemma morphism : ring_morph 0 1 Rplus Rmult Rminus Ropp eq 0%Q 1%Q qadd qmul qsub qopp Qeq_bool Q2R.
Proof.
  constructor; intros; unfold qadd, qmul, qsub, qopp; rewrite ?red_ok.
  - apply Q2R_0. - apply Q2R_1. - apply Q2R_plus. - apply Q2R_minus. - apply Q2R_mult. - apply Q2R_opp.
  - apply Qeq_eqR, Qeq_bool_eq. assumption.
Qed.
Definition almost := Rth_ARth (Eqsth R) (Eq_ext Rplus Rmult Ropp) RTheory.

Definition P := Pol Q.
Definition padd : P -> P -> P := Padd 0%Q qadd Qeq_bool.
Definition psub : P -> P -> P := Psub 0%Q qadd qsub qopp Qeq_bool.
Definition popp : P -> P := Popp qopp.
Definition pmul : P -> P -> P := Pmul 0%Q 1%Q qadd qmul Qeq_bool.
Definition px (j : positive) : P := mk_X 0%Q 1%Q j.
Definition val (l : positive -> R) (p : P) : R := Pphi Rplus Rmult Q2R l p.

Lemma padd_ok l p q : val l (padd p q) = val l p + val l q.
Proof. apply (Padd_ok (Eqsth R) (Eq_ext Rplus Rmult Ropp) almost morphism). Qed.
Lemma psub_ok l p q : val l (psub p q) = val l p - val l q.
Proof. apply (Psub_ok (Eqsth R) (Eq_ext Rplus Rmult Ropp) almost morphism). Qed.
Lemma popp_ok l p : val l (popp p) = - val l p.
Proof. apply (Popp_ok (Eqsth R) (Eq_ext Rplus Rmult Ropp) almost morphism). Qed.
Lemma pmul_ok l p q : val l (pmul p q) = val l p * val l q.
Proof. apply (Pmul_ok (Eqsth R) (Eq_ext Rplus Rmult Ropp) almost morphism). Qed.
Lemma px_ok l j : val l (px j) = l j.
Proof. symmetry. apply (mkX_ok (Eqsth R) (Eq_ext Rplus Rmult Ropp) almost morphism). Qed.

Arguments px : simpl never. Arguments padd : simpl never. Arguments psub : simpl never.
Arguments popp : simpl never. Arguments pmul : simpl never.

Definition E_dec (a b : E) : {a = b} + {a <> b}.
Proof. decide equality; [decide equality; [apply Pos.eq_dec|apply Z.eq_dec]|apply Pos.eq_dec]. Defined.

Section Normal.
  (* the angles, numbered from 1: the argument of every sine is a sum of whole multiples of them *)
  Variable angles : list E.

  Definition angle (i : positive) : E := nth (Nat.pred (Pos.to_nat i)) angles (Num 0).
  Definition env (v : positive -> R) (j : positive) : R :=
    match j with
    | xO (xO i) => v i
    | xI (xO i) => cos (ev v (angle i))
    | xO (xI i) => sin (ev v (angle i))
    | _ => 0
    end.

  (* the number of an angle: its place in the list, from i on *)
  Fixpoint place (i : positive) (l : list E) (e : E) : option positive :=
    match l with
    | [] => None
    | u :: l' => if E_dec u e then Some i else place (Pos.succ i) l' e
    end.

  Lemma place_ok l e : forall i j, place i l e = Some j ->
    (i <= j)%positive /\ nth (Pos.to_nat j - Pos.to_nat i) l (Num 0) = e.
  Proof.
    induction l as [|u l IH]; simpl; intros i j H; [discriminate|].
    destruct (E_dec u e) as [<-|_].
    - injection H as <-. rewrite Nat.sub_diag. split; [lia|reflexivity].
    - apply IH in H. destruct H as [Le N]. split; [lia|].
      replace (Pos.to_nat j - Pos.to_nat i)%nat with (S (Pos.to_nat j - Pos.to_nat (Pos.succ i)))%nat by lia.
      exact N.
  Qed.

  Lemma angle_ok e i : place 1 angles e = Some i -> angle i = e.
  Proof.
    intro H. apply place_ok in H. destruct H as [_ N]. unfold angle.
    replace (Nat.pred (Pos.to_nat i)) with (Pos.to_nat i - Pos.to_nat 1)%nat by lia. exact N.
  Qed.

  (* s^2 = 1 - c^2, one relation for each angle *)
  Definition relation (i : positive) : Mon * P :=
    (zmon (Pos.pred (xO (xI i))) (vmon 2 mon0), psub (Pc 1%Q) (pmul (px (xI (xO i))) (px (xI (xO i))))).

  Lemma relations_ok v l : MPcond 1 Rplus Rmult eq Q2R (map relation l) (env v).
  Proof.
    induction l as [|i l IH]; [exact I|]. split; [|exact IH].
    change (Mphi 1 Rmult (env v) (zmon (Pos.pred (xO (xI i))) (vmon 2 mon0))
      = val (env v) (psub (Pc 1%Q) (pmul (px (xI (xO i))) (px (xI (xO i)))))).
    rewrite psub_ok, pmul_ok, px_ok. simpl. unfold Env.hd, Env.jump, Env.nth.
    replace (1 + i~0~1)%positive with (xO (xI i)) by lia. simpl. rewrite Q2R_1.
    generalize (sin2_cos2 (ev v (angle i))); unfold Rsqr; intro H. lra.
  Qed.

  Let rels := map relation (map Pos.of_nat (seq 1 (length angles))).
  Definition reduce (p : P) : P := PSubstL1 0%Q 1%Q qadd qmul Qeq_bool p rels 40.
  Lemma reduce_ok v p : val (env v) (reduce p) = val (env v) p.
  Proof. symmetry. apply (PSubstL1_ok (Eqsth R) (Eq_ext Rplus Rmult Ropp) almost morphism). apply relations_ok. Qed.
  Definition times p q := reduce (pmul p q).

  (* the cosine and the sine of a sum of angles, by the addition theorems *)
  Fixpoint turn (e : E) : option (P * P) :=
    match place 1 angles e with
    | Some i => Some (px (xI (xO i)), px (xO (xI i)))
    | None =>
        match e with
        | Num q => if Qeq_bool q 0 then Some (Pc 1%Q, Pc 0%Q) else None
        | Add a b =>
            match turn a, turn b with
            | Some (c, s), Some (c', s') => Some (psub (times c c') (times s s'), padd (times s c') (times c s'))
            | _, _ => None
            end
        | Opp a => match turn a with Some (c, s) => Some (c, popp s) | None => None end
        | _ => None
        end
    end.

  Lemma turn_ok v e : forall c s, turn e = Some (c, s) -> val (env v) c = cos (ev v e) /\ val (env v) s = sin (ev v e).
  Proof.
    assert (A : forall e i c s, place 1 angles e = Some i -> Some (px (xI (xO i)), px (xO (xI i))) = Some (c, s) ->
      val (env v) c = cos (ev v e) /\ val (env v) s = sin (ev v e)).
    { intros e' j c s F H. injection H as <- <-. rewrite !px_ok. simpl. rewrite (angle_ok _ _ F). auto. }
    induction e; intros c s H; cbn [turn] in H;
      match type of H with context [place 1 angles ?x] => destruct (place 1 angles x) as [k|] eqn:F end;
      try (exact (A _ _ _ _ F H)); try discriminate.
    - destruct (Qeq_bool q 0) eqn:Z; [|discriminate]. apply Qeq_bool_eq, Qeq_eqR in Z.
      injection H as <- <-. cbn [ev]. rewrite Z, Q2R_0, cos_0, sin_0. unfold val; simpl. rewrite Q2R_0, Q2R_1. auto.
    - destruct (turn e1) as [[c1 s1]|]; [|discriminate]. destruct (turn e2) as [[c2 s2]|]; [|discriminate].
      injection H as <- <-. destruct (IHe1 _ _ eq_refl) as [B D'], (IHe2 _ _ eq_refl) as [B' D''].
      cbn [ev]. rewrite psub_ok, padd_ok. unfold times. rewrite !reduce_ok, !pmul_ok, B, D', B', D'', cos_plus, sin_plus.
      split; lra.
    - destruct (turn e) as [[c1 s1]|]; [|discriminate]. injection H as <- <-. destruct (IHe _ _ eq_refl) as [B D'].
      cbn [ev]. rewrite popp_ok, B, D', cos_neg, sin_neg. auto.
  Qed.

  Definition both (f : P -> P -> P) a b := match a, b with Some p, Some q => Some (f p q) | _, _ => None end.
  Fixpoint normal (e : E) : option P :=
    match e with
    | Num q => Some (Pc (Qred q))
    | Var i => Some (px (xO (xO i)))
    | Add a b => both padd (normal a) (normal b)
    | Sub a b => both psub (normal a) (normal b)
    | Mul a b => both times (normal a) (normal b)
    | Opp a => option_map popp (normal a)
    | Cos a => option_map fst (turn a)
    | Sin a => option_map snd (turn a)
    end.

  Lemma normal_ok v e p : normal e = Some p -> val (env v) p = ev v e.
  Proof.
    revert p. induction e; simpl; intros p H.
    - injection H as <-. apply red_ok.
    - injection H as <-. rewrite px_ok. reflexivity.
    - destruct (normal e1), (normal e2); try discriminate. injection H as <-. rewrite padd_ok. f_equal; auto.
    - destruct (normal e1), (normal e2); try discriminate. injection H as <-. rewrite psub_ok. f_equal; auto.
    - destruct (normal e1), (normal e2); try discriminate. injection H as <-.
      unfold times. rewrite reduce_ok, pmul_ok. f_equal; auto.
    - destruct (normal e); try discriminate. injection H as <-. rewrite popp_ok. f_equal; auto.
    - destruct (turn e) as [[c s]|] eqn:T; try discriminate. injection H as <-. apply (turn_ok v _ _ _ T).
    - destruct (turn e) as [[c s]|] eqn:T; try discriminate. injection H as <-. apply (turn_ok v _ _ _ T).
  Qed.

  Definition is_zero (e : E) : bool := match normal e with Some (Pc q) => Qeq_bool q 0 | _ => false end.
  Theorem is_zero_ok e : is_zero e = true -> forall v, ev v e = 0.
  Proof.
    unfold is_zero. destruct (normal e) as [[q| |]|] eqn:N; try discriminate. intros H v.
    rewrite <- (normal_ok v _ _ N). apply Qeq_bool_eq, Qeq_eqR in H. unfold val; simpl. rewrite H. apply Q2R_0.
  Qed.
  Theorem all_zero_ok l : forallb is_zero l = true -> forall v e, In e l -> ev v e = 0.
  Proof. intros H v e I. rewrite forallb_forall in H. apply is_zero_ok; auto. Qed.

  (* ---- signs: the numbers of the variables in [pos] are positive *)

  Variable pos : list positive.
  Definition known (j : positive) : bool := match j with xO (xO i) => existsb (Pos.eqb i) pos | _ => false end.
  Definition even (i : positive) : bool := match i with xO _ => true | _ => false end.

  (* p with its first variable at j: its terms show that it is not negative, or that it is positive *)
  Fixpoint nonnegative (j : positive) (p : P) : bool :=
    match p with
    | Pc c => Qle_bool 0 c
    | Pinj k q => nonnegative (j + k) q
    | PX q i r => nonnegative j q && (even i || known j) && nonnegative (Pos.succ j) r
    end.
  Fixpoint above (j : positive) (p : P) : bool :=
    match p with
    | Pc c => negb (Qle_bool c 0)
    | Pinj k q => above (j + k) q
    | PX q i r => nonnegative j p && (above (Pos.succ j) r || (above j q && known j))
    end.

  Definition admissible (v : positive -> R) := forall i, In i pos -> 0 < v i.

  Lemma known_ok v j : admissible v -> known j = true -> 0 < env v j.
  Proof.
    intros A. destruct j as [[]|[]|]; simpl; try discriminate. intro H. apply A.
    apply existsb_exists in H. destruct H as [i [I Q]]. apply Pos.eqb_eq in Q. subst. exact I.
  Qed.

  Lemma power_ok x i : (even i = true \/ 0 < x) -> 0 <= pow_pos Rmult x i.
  Proof.
    assert (F : forall y, 0 <= y -> forall k, 0 <= pow_pos Rmult y k).
    { intros y Y. induction k; simpl; auto; repeat apply Rmult_le_pos; auto. }
    intros [H|H]; [|apply F; lra]. destruct i; try discriminate. simpl.
    apply Rle_0_sqr.
  Qed.

  Lemma power_above x i : 0 < x -> 0 < pow_pos Rmult x i.
  Proof. intro H. induction i; simpl; auto; repeat apply Rmult_lt_0_compat; auto. Qed.

  (* the values of the variables from j on *)
  Definition from (j : positive) (l : positive -> R) : positive -> R := fun k => l (Pos.pred (j + k)).

  Lemma from_1 l k : from 1 l k = l k. Proof. unfold from. f_equal. lia. Qed.
  Lemma val_same l m p : (forall k, l k = m k) -> val l p = val m p.
  Proof.
    intro H. unfold val. revert l m H. induction p; simpl; intros l m H; auto.
    - apply IHp. intro k. unfold Env.jump. auto.
    - rewrite (IHp1 l m H). f_equal; [f_equal; unfold Env.hd, Env.nth; rewrite H; reflexivity|].
      apply IHp2. intro k. unfold Env.tail, Env.jump. auto.
  Qed.
  Lemma val_inj j k l p : val (from j l) (Pinj k p) = val (from (j + k) l) p.
  Proof.
    unfold val. simpl. change (val (Env.jump k (from j l)) p = val (from (j + k) l) p).
    apply val_same. intro i. unfold Env.jump, from. f_equal. lia.
  Qed.
  Lemma val_PX j l p i q : val (from j l) (PX p i q) = val (from j l) p * pow_pos Rmult (l j) i + val (from (Pos.succ j) l) q.
  Proof.
    unfold val. simpl. f_equal.
    - f_equal. f_equal. unfold Env.hd, Env.nth, from. f_equal. lia.
    - change (val (Env.jump 1 (from j l)) q = val (from (Pos.succ j) l) q). apply val_same.
      intro k. unfold Env.jump, from. f_equal. lia.
  Qed.

  Lemma nonnegative_ok v p : admissible v -> forall j, nonnegative j p = true -> 0 <= val (from j (env v)) p.
  Proof.
    intro A. induction p; intros j H; cbn [nonnegative] in H.
    - apply Qle_bool_imp_le, Qle_Rle in H. rewrite Q2R_0 in H. unfold val; simpl. exact H.
    - rewrite val_inj. auto.
    - rewrite val_PX. apply andb_prop in H. destruct H as [H C]. apply andb_prop in H. destruct H as [H B].
      apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; auto. apply power_ok.
      apply orb_prop in B. destruct B as [B|B]; [left; exact B|right; apply known_ok; auto].
  Qed.

  Lemma above_ok v p : admissible v -> forall j, above j p = true -> 0 < val (from j (env v)) p.
  Proof.
    intro A. induction p; intros j H; cbn [above] in H.
    - unfold val; simpl. apply negb_true_iff in H.
      apply Rnot_le_lt. intro L. rewrite <- Q2R_0 in L. apply Rle_Qle in L. apply Qle_bool_iff in L. congruence.
    - rewrite val_inj. auto.
    - apply andb_prop in H. destruct H as [N S]. cbn [nonnegative] in N.
      apply andb_prop in N. destruct N as [N C]. apply andb_prop in N. destruct N as [N B].
      rewrite val_PX.
      assert (0 <= val (from j (env v)) p1) by (apply nonnegative_ok; auto).
      assert (0 <= val (from (Pos.succ j) (env v)) p3) by (apply nonnegative_ok; auto).
      assert (0 <= pow_pos Rmult (env v j) p2).
      { apply power_ok. apply orb_prop in B. destruct B; [left|right; apply known_ok]; auto. }
      apply orb_prop in S. destruct S as [S|S].
      + apply Rplus_le_lt_0_compat; auto. apply Rmult_le_pos; auto.
      + apply andb_prop in S. destruct S as [S K]. apply Rplus_lt_le_0_compat; auto.
        apply Rmult_lt_0_compat; auto. apply power_above, known_ok; auto.
  Qed.

  Definition shows (sign : positive -> P -> bool) (e : E) : bool :=
    match normal e with Some p => sign 1%positive p | None => false end.
  Lemma at_1 v p : val (from 1 (env v)) p = val (env v) p. Proof. apply val_same, from_1. Qed.
  Lemma shows_nonnegative v e : admissible v -> shows nonnegative e = true -> 0 <= ev v e.
  Proof.
    unfold shows. intro A. destruct (normal e) as [p|] eqn:N; [|discriminate]. intro H.
    rewrite <- (normal_ok v _ _ N), <- at_1. apply nonnegative_ok; auto.
  Qed.
  Lemma shows_above v e : admissible v -> shows above e = true -> 0 < ev v e.
  Proof.
    unfold shows. intro A. destruct (normal e) as [p|] eqn:N; [|discriminate]. intro H.
    rewrite <- (normal_ok v _ _ N), <- at_1. apply above_ok; auto.
  Qed.

  (* ---- a form q'M q' that is a sum of squares, and the velocities that vanish where it does *)

  Definition squared (s : E * E) := mul (fst s) (mul (snd s) (snd s)).
  Definition sum (l : list E) : E := fold_right add (Num 0) l.

  Lemma sum_nonnegative v squares : admissible v -> forallb (fun s => shows nonnegative (fst s)) squares = true ->
    0 <= ev v (sum (map squared squares)).
  Proof.
    intros A F. induction squares as [|s l IH]; simpl in *; [rewrite Q2R_0; lra|].
    apply andb_prop in F. destruct F as [W F]. rewrite add_ok. unfold squared at 1. rewrite !mul_ok.
    apply Rplus_le_le_0_compat; auto. apply Rmult_le_pos; [apply shows_nonnegative; auto|apply Rle_0_sqr].
  Qed.

  Definition is_sum_of_squares form squares : bool :=
    is_zero (sub form (sum (map squared squares))) && forallb (fun s => shows nonnegative (fst s)) squares.

  Theorem nonnegative_form form squares : is_sum_of_squares form squares = true ->
    forall v, admissible v -> 0 <= ev v form.
  Proof.
    intros H v A. apply andb_prop in H. destruct H as [Z F].
    replace (ev v form) with (ev v (sum (map squared squares))) by (generalize (is_zero_ok _ Z v); rewrite sub_ok; lra).
    apply sum_nonnegative; auto.
  Qed.

  (* where the form is not positive, forms of positive weight vanish *)
  Lemma squares_vanish v squares : admissible v -> forallb (fun s => shows nonnegative (fst s)) squares = true ->
    ev v (sum (map squared squares)) <= 0 -> forall s, In s squares -> shows above (fst s) = true -> ev v (snd s) = 0.
  Proof.
    intros A. induction squares as [|x l IH]; simpl; intros F L s I S; [contradiction|].
    apply andb_prop in F. destruct F as [W F]. rewrite add_ok in L. unfold squared at 1 in L. rewrite !mul_ok in L.
    assert (0 <= ev v (sum (map squared l))) by (apply sum_nonnegative; auto).
    assert (N : 0 <= ev v (fst x)) by (apply shows_nonnegative; auto).
    assert (0 <= ev v (snd x) * ev v (snd x)) by apply Rle_0_sqr.
    assert (0 <= ev v (fst x) * (ev v (snd x) * ev v (snd x))) by (apply Rmult_le_pos; auto).
    destruct I as [<-|I].
    - apply shows_above with (v := v) in S; auto.
      assert (Z : ev v (fst x) * (ev v (snd x) * ev v (snd x)) = 0) by lra.
      apply Rmult_integral in Z. destruct Z as [Z|Z]; [lra|]. apply Rmult_integral in Z. tauto.
    - apply IH; auto. lra.
  Qed.

  (* e with the variables that are known to vanish replaced by 0 *)
  Fixpoint still (l : list positive) (e : E) : E :=
    match e with
    | Num q => Num q
    | Var i => if existsb (Pos.eqb i) l then Num 0 else Var i
    | Add a b => add (still l a) (still l b)
    | Sub a b => sub (still l a) (still l b)
    | Mul a b => mul (still l a) (still l b)
    | Opp a => Opp (still l a)
    | Cos a => Cos (still l a)
    | Sin a => Sin (still l a)
    end.
  Lemma still_ok v l e : (forall i, In i l -> v i = 0) -> ev v (still l e) = ev v e.
  Proof.
    intro H. induction e; simpl; rewrite ?add_ok, ?sub_ok, ?mul_ok; try congruence.
    destruct (existsb (Pos.eqb i) l) eqn:X; [|reflexivity]. apply existsb_exists in X. destruct X as [k [I Q]].
    apply Pos.eqb_eq in Q. subst. simpl. rewrite Q2R_0. symmetry. auto.
  Qed.

  (* a step: a variable r, a factor u > 0, and coefficients of forms, by their place among the squares,
     such that u r = sum of coefficient form, up to variables that vanish *)
  Definition Step := (positive * E * list (E * nat))%type.
  Definition variable (s : Step) : positive := fst (fst s).
  Definition none : E * E := (Num 0, Num 0).
  Definition combined squares (c : list (E * nat)) : E := sum (map (fun x => mul (fst x) (snd (nth (snd x) squares none))) c).
  Fixpoint follows (squares : list (E * E)) (done : list positive) (steps : list Step) : bool :=
    match steps with
    | [] => true
    | (r, u, c) :: rest =>
        shows above u && forallb (fun x => shows above (fst (nth (snd x) squares none))) c
        && is_zero (still done (sub (mul u (Var r)) (combined squares c))) && follows squares (r :: done) rest
    end.

  Lemma combined_vanishes v squares c : admissible v ->
    (forall s, In s squares -> shows above (fst s) = true -> ev v (snd s) = 0) ->
    forallb (fun x => shows above (fst (nth (snd x) squares none))) c = true -> ev v (combined squares c) = 0.
  Proof.
    intros A Z. induction c as [|[a k] c IH]; intro P; [apply Q2R_0|].
    cbn [forallb] in P. apply andb_prop in P. destruct P as [P1 P2].
    change (ev v (add (mul a (snd (nth k squares none))) (combined squares c)) = 0). rewrite add_ok, mul_ok, IH; auto.
    cbn [snd] in P1. destruct (nth_in_or_default k squares none) as [I|N]; [rewrite (Z _ I P1); lra|].
    rewrite N in P1. discriminate.
  Qed.

  Lemma follows_ok v squares : admissible v ->
    (forall s, In s squares -> shows above (fst s) = true -> ev v (snd s) = 0) ->
    forall steps done, follows squares done steps = true -> (forall i, In i done -> v i = 0) ->
    forall i, In i (map variable steps) -> v i = 0.
  Proof.
    intros A Z. induction steps as [|[[r u] c] rest IH]; intros done F D i I; [contradiction|].
    cbn [follows] in F. apply andb_prop in F. destruct F as [F N]. apply andb_prop in F. destruct F as [F S].
    apply andb_prop in F. destruct F as [P C].
    assert (r0 : v r = 0).
    { generalize (is_zero_ok _ S v). rewrite (still_ok _ _ _ D), sub_ok, mul_ok.
      rewrite (combined_vanishes v squares c); auto. generalize (shows_above v u A P). simpl. intros Pu Q.
      assert (Q' : ev v u * v r = 0) by lra. apply Rmult_integral in Q'. destruct Q'; lra. }
    destruct I as [<-|I]; [exact r0|]. apply (IH (r :: done)); auto.
    intros k [<-|K]; auto.
  Qed.

  (* so the form is positive unless all these velocities vanish *)
  Theorem positive_form form squares steps :
    is_sum_of_squares form squares && follows squares [] steps = true ->
    forall v, admissible v -> (exists r, In r (map variable steps) /\ v r <> 0) -> 0 < ev v form.
  Proof.
    intros H v A [r [I N]]. apply andb_prop in H. destruct H as [Q F]. apply Rnot_le_lt. intro L. apply N.
    unfold is_sum_of_squares in Q. apply andb_prop in Q. destruct Q as [Z W].
    apply (follows_ok v squares A) with (steps := steps) (done := []); auto; [|intros k []].
    apply squares_vanish; auto. generalize (is_zero_ok _ Z v). rewrite sub_ok. lra.
  Qed.
End Normal.

(* ---- Lagrange's equation of one coordinate, q at k and its rate at r *)

Definition lagrange dt k r L W left := sub left (add (sub (D dt (D (d r) L)) (D (d k) L)) (D (d r) W)).

(* x is a motion at time t: every variable changes at the rate that dt gives, save the unknown ones, of which nothing is
   said (accelerations, inputs, multipliers). Then the momentum dL/dq' changes at the rate left + dL/dq - dW/dq'. *)
Definition law unknown dt k r L W left := forall (x : R -> positive -> R) t,
  (forall i, ~ In i unknown -> derivable_pt_lim (fun u => x u i) t (ev (x t) (dt i))) ->
  derivable_pt_lim (fun u => ev (x u) (D (d r) L)) t (ev (x t) left + ev (x t) (D (d k) L) - ev (x t) (D (d r) W)).
Definition law_holds angles unknown dt k r L W left :=
  is_zero angles (lagrange dt k r L W left) && forallb (fun i => negb (occurs i (D (d r) L))) unknown.

Theorem law_ok angles unknown dt k r L W left :
  law_holds angles unknown dt k r L W left = true -> law unknown dt k r L W left.
Proof.
  intros H x t M. apply andb_prop in H. destruct H as [Z F]. rewrite forallb_forall in F.
  replace (ev (x t) left + ev (x t) (D (d k) L) - ev (x t) (D (d r) W)) with (ev (x t) (D dt (D (d r) L))).
  - apply D_ok. intros i O. apply M. intro I. apply F in I. rewrite O in I. discriminate.
  - generalize (is_zero_ok angles _ Z (x t)). unfold lagrange. rewrite sub_ok, add_ok, sub_ok. lra.
Qed.
